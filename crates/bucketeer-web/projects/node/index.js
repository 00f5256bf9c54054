import * as bucketeer from "bucketeer-web";

import { check } from "../check.js";

console.log(await check(bucketeer));
