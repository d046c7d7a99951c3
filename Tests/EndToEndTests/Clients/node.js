// The scenario with Debian's node-ws. Words: URL
"use strict";
const WebSocket = require("ws");
const scenario = require("./scenario.js");

scenario(WebSocket, process.argv[2], "chat:e2e-node").then(
    (passed) => {
        passed.forEach((name) => console.log(`ok ${name}`));
        console.log(`1..${passed.length}`);
    },
    (error) => {
        console.log(`not ok ${error.message.replace(/\s+/g, " ")}`);
        process.exit(1);
    });
