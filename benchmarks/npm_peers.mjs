// Checks the addresses on standard input (a JSON list) with one npm package from a folder.
// node npm_peers.mjs FOLDER PACKAGE: prints addresses per CPU second as JSON.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const [folder, name] = process.argv.slice(2);
const require = createRequire(join(folder, "index.js"));
const addresses = JSON.parse(readFileSync(0, "utf8"));
const peer = require(name);
const offline = { validateMx: false, validateSMTP: false, validateTypo: false };
const checks = {
  "deep-email-validator": (email) => peer.validate({ email, ...offline }),
  mailchecker: (email) => peer.isValid(email),
  "email-validator": (email) => peer.validate(email),
};

const begun = process.cpuUsage();
for (const address of addresses) await checks[name](address);
const used = process.cpuUsage(begun);
console.log(JSON.stringify({ per_second: addresses.length / ((used.user + used.system) / 1e6) }));
