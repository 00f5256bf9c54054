import * as bucketeer from "bucketeer-web";

import { check } from "../../check.js";

document.body.textContent = await check(bucketeer).catch(String);
