// A use of all that the components' declarations declare: what has to compile, and what must not. See kit_types.js.
import { connect } from "../../../Sources/Web/kit/fanfare.js"
import {
    defaultReactions, defineReactions, FanfareBubble, popInDelay, splitOverflow, words,
} from "../../../Sources/Web/kit/components.js"
import { FanfareOverview } from "../../../Sources/Web/kit/overview.js"

const channel = connect({ user: "ada" }).channel("chat:42")
for (const bubble of document.querySelectorAll("fanfare-bubble")) {
    bubble.channel = channel
    bubble.order = (list) => list.reverse()
    bubble.reactions = (message) => (message === "m1" ? ["👍"] : defaultReactions)
    bubble.canReact = (message) => message !== "m2"
    bubble.avatar = (user) => (user === "ada" ? "/ada.png" : null)
    bubble.addEventListener("fanfare-react", ({ detail }) => console.log(detail.removed, detail.reaction.length))
    bubble.open = true
    bubble.showOverview()
}
document.querySelector("fanfare-burst")?.play({ "🎉": 3 }, 100)
document.querySelector("fanfare-picker")?.openSearch().then(() => {})
console.log(document.querySelector("fanfare-badges")?.limit, new FanfareBubble().message, FanfareOverview.name)

const delay: number = popInDelay(3)
const hidden: string[] = splitOverflow(["a", "b"], 1).hidden
defineReactions([{ reaction: "party_parrot", small: "/parrot.gif" }])
words.react = (name) => `Mit ${name} reagieren, nach ${delay} s, ${hidden.length}`

// @ts-expect-error a limit is an attribute
document.querySelector("fanfare-badges")!.limit = 3
// @ts-expect-error a custom reaction has a name on the wire
defineReactions([{ name: "Party parrot" }])
