// A first conversation, for any WebSocket class with the browsers' interface: Chromium's own, and node-ws.
// Gives the names of the checks that it made; throws at the first that fails.
"use strict";

// eslint-disable-next-line no-unused-vars
async function scenario(WebSocketClass, url, channel) {
    const passed = [];

    function check(name, holds, shown) {
        if (!holds) throw new Error(`${name}: ${JSON.stringify(shown)}`);
        passed.push(name);
    }

    // A connection whose messages are taken one by one, in the order in which they came.
    function connect(user) {
        const socket = new WebSocketClass(`${url}?user=${user}`, "fanfare.v1.json");
        const arrived = [];
        const waiting = [];
        socket.onmessage = (event) => {
            const message = JSON.parse(event.data);
            if (waiting.length) waiting.shift().resolve(message);
            else arrived.push(message);
        };
        socket.onclose = (event) => {
            for (const one of waiting.splice(0)) one.reject(new Error(`closed with ${event.code}`));
        };
        const receive = () => arrived.length
            ? Promise.resolve(arrived.shift())
            : new Promise((resolve, reject) => waiting.push({ resolve, reject }));
        const closed = new Promise((resolve) => socket.addEventListener("close", resolve));
        return { socket, receive, closed, send: (message) => socket.send(JSON.stringify(message)) };
    }

    const ada = connect("ada");
    const bob = connect("bob");
    for (const [one, name] of [[ada, "ada"], [bob, "bob"]]) {
        const welcome = await one.receive();
        check("welcome", welcome.type === "welcome" && welcome.user === name, welcome);
        check("subprotocol", one.socket.protocol === "fanfare.v1.json", one.socket.protocol);
        one.send({ type: "subscribe", id: 1, channel });
        const subscribed = await one.receive();
        check("subscribed", subscribed.type === "subscribed" && subscribed.id === 1 && subscribed.seq === 0
            && subscribed.messages.length === 0, subscribed);
    }

    ada.send({ type: "add", id: "a", channel, message: "m1", reaction: "👍" });
    const ack = await ada.receive();
    check("ack first", ack.type === "ack" && ack.id === "a" && ack.result === "added" && ack.count === 1, ack);
    const event = await ada.receive();
    check("then the event", event.type === "added" && event.seq === ack.seq && event.user === "ada", event);
    const other = await bob.receive();
    check("the same for others", JSON.stringify(other) === JSON.stringify(event), other);

    bob.send({ type: "toggle", id: 2, channel, message: "m1", reaction: "👍" });
    const second = await bob.receive();
    check("count", second.count === 2 && second.own.length === 1, second);
    const seen = await ada.receive();
    check("count equality", seen.count === second.count && seen.users === 2 && seen.total === 2, seen);
    await bob.receive();

    ada.send({ type: "add", id: 3, channel, message: "m1", reaction: "no emoji" });
    const refused = await ada.receive();
    check("error", refused.type === "error" && refused.id === 3 && refused.code === "invalid_reaction"
        && typeof refused.message === "string", refused);

    bob.send({ type: "unsubscribe", id: 4, channel });
    const left = await bob.receive();
    check("unsubscribed", left.type === "unsubscribed" && left.id === 4 && left.channel === channel, left);
    ada.send({ type: "remove", id: 5, channel, message: "m1", reaction: "👍" });
    const removed = await ada.receive();
    check("removed", removed.type === "ack" && removed.result === "removed" && removed.count === 1, removed);
    bob.send({ type: "ping", id: 6 });
    const pong = await bob.receive();
    check("silence after unsubscribed", pong.type === "pong" && pong.id === 6, pong);

    for (const one of [ada, bob]) {
        one.socket.close(1000);
        const end = await one.closed;
        check("a clean close", end.code === 1000 && end.wasClean, { code: end.code, wasClean: end.wasClean });
    }
    return passed;
}

if (typeof module !== "undefined") module.exports = scenario;
