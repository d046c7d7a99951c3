// A use of all that the client's declarations declare: what has to compile, and what must not. See kit_types.js.
import { connect, FanfareError, type Channel, type ClientState, type MessageView } from "../../../Sources/Web/kit/fanfare.js"

const client = connect({ url: "https://broker.example", token: async () => "t", storage: sessionStorage, share: false })
client.addEventListener("state", ({ detail }) => {
    const state: ClientState = detail.state
    console.log(state, detail.user?.length, detail.error?.code, client.error?.message)
})

const channel: Channel = client.channel("chat:42", { mode: "summary", messages: ["m1"], occupancy: true })
channel.addEventListener("change", ({ detail }) => {
    const view: MessageView = channel.view(detail.message)
    const counts: number[] = view.reactions.map(({ count }) => count)
    console.log(counts, view.reactions[0].error?.code, view.reactions[0].latest?.[0])
})
channel.addEventListener("burst", ({ detail }) => console.log(detail.reactions["🎉"] + 1))
channel.addEventListener("occupancy", ({ detail }) => console.log(detail.users + 1))
channel.addEventListener("frozen", ({ detail }) => console.log(detail.by?.length))
channel.addEventListener("error", ({ detail }) => console.log(detail.code))

export async function use(): Promise<void> {
    try {
        const ack = await channel.toggle("m1", "👍", { data: { source: "web" } })
        console.log(ack.own.length, ack.result === "added")
        await channel.add("m1", "👏", { count: 3 })
        await channel.set("m1", ["👍"])
    } catch (error) {
        if (error instanceof FanfareError && error.code === "frozen") await channel.retry("m1", "👍")
    }
    const { reactors, after } = await channel.reactors("m1", { reaction: "👍", after: null, limit: 5 })
    console.log(reactors[0].user, after?.length, (await channel.ready).allowed?.length)
    channel.observe(document.body, "m1")()
    client.close()
}

// @ts-expect-error a reaction is missing
channel.toggle("m1")
// @ts-expect-error a name is a string
connect({ user: 3 })
// @ts-expect-error a view is not written to
channel.view("m1").total = 3
// @ts-expect-error there is no such mode
client.channel("chat:42", { mode: "all" })
