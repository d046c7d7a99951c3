// Node's own TLS: versions, ALPN, verification and resumption. Words: WSS-URL CERTIFICATE
"use strict";

const fs = require("fs");
const tls = require("tls");

const [url, authority] = process.argv.slice(2);
const { hostname, port } = new URL(url);
let count = 0;

function report(name, why) {
    count += 1;
    console.log(why ? `not ok ${name}: ${why}` : `ok ${name}`);
    if (why) process.exitCode = 1;
}

/** Asks for /healthz; gives what was said, whether the session was resumed, and the session's ticket. */
function visit(version, session) {
    return new Promise((resolve, reject) => {
        let text = "";
        let ticket;
        const socket = tls.connect({
            host: hostname, port, ca: fs.readFileSync(authority), servername: "localhost", session,
            minVersion: version, maxVersion: version, ALPNProtocols: ["h2", "http/1.1"],
        });
        socket.setTimeout(20000, () => socket.destroy(new Error("timeout")));
        socket.on("session", (one) => { ticket = one; });
        socket.on("secureConnect", () =>
            socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"));
        socket.on("data", (data) => { text += data; });
        socket.on("error", reject);
        const facts = () => ({ text, ticket, reused: socket.isSessionReused(), alpn: socket.alpnProtocol });
        socket.on("end", () => { resolve(facts()); });
    });
}

async function main() {
    for (const version of ["TLSv1.2", "TLSv1.3"]) {
        const first = await visit(version);
        report(`${version}: an answer`, first.text.startsWith("HTTP/1.1 200 ") ? null : first.text);
        report(`${version}: http/1.1 by ALPN`, first.alpn === "http/1.1" ? null : first.alpn);
        const second = await visit(version, first.ticket);
        report(`${version}: the session is resumed`, !first.reused && second.reused ? null : "it is not");
    }
}

main().catch((error) => report("runs to its end", error.stack)).finally(() => console.log(`1..${count}`));
