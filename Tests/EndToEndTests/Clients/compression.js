// The scenario with Debian's node-ws, which offers permessage-deflate. Words: URL
"use strict";
const WebSocket = require("ws");
const scenario = require("./scenario.js");

const passed = [];

function check(name, holds) {
    if (!holds) throw new Error(name);
    passed.push(name);
}

// Every message is compressed: node-ws leaves short ones as they are unless it is told so.
class Compressing extends WebSocket {
    constructor(url, protocols) {
        super(url, protocols, { perMessageDeflate: { threshold: 0 } });
        this.on("open", () => check("negotiated", /^permessage-deflate/.test(this.extensions)));
    }
}

async function run(url) {
    for (let round = 0; round < 2; round++) {
        passed.push(...await scenario(Compressing, url, `chat:deflate-node-${round}`));
    }
    check("every connection has it", passed.filter((name) => name === "negotiated").length >= 4);
}

run(process.argv[2]).then(
    () => {
        passed.forEach((name) => console.log(`ok ${name}`));
        console.log(`1..${passed.length}`);
    },
    (error) => {
        console.log(`not ok ${error.message.replace(/\s+/g, " ")}`);
        process.exit(1);
    });
