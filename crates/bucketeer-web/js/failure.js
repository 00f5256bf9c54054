// Errors by the names that callers tell them apart by.

/** Input that cannot be used, as the library reports it. */
export const failure = (message) => named("BucketeerError", message);

/** The error of calls after `close`. */
export const closedError = () => new Error("this Bucketeer has been closed");

export const named = (name, message) => Object.assign(new Error(message), { name });
