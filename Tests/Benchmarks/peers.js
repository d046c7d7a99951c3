// A broadcaster as one writes it with ws: whoever says "join" gets what everybody else says. Words: PORT
"use strict"

const { WebSocketServer } = require("ws")

const members = new Set()
new WebSocketServer({ host: "127.0.0.1", port: Number(process.argv[2]) }).on("connection", (socket) => {
    socket.on("close", () => members.delete(socket))
    socket.on("message", (message) => {
        const text = message.toString()
        if (text === "join") return members.add(socket)
        for (const member of members) member.send(text)
    })
})
