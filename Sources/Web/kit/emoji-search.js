// The search for emoji by their English names; loaded when somebody searches for the first time.
import { emojiNames } from "./emoji-names.js"

// Those that are used most, by Unicode's count of 2021, the first most of all; without variation selectors.
const mostUsed = [..."😂❤🤣👍😭🙏😘🥰😍😊🎉😁💕🥺😅🔥☺🤦♥🤷🙄😆🤗😉🎂🤔👏🙂😳🥳😎👌💜😔💪✨💖👀😋😏😢👉💗😩💯🌹💞🎈💙😃😡💐"]

const emoji = emojiNames.split(/;\n?/).map((line) => {
    const space = line.indexOf(" ")
    return entry(line.slice(0, space), line.slice(space + 1))
})

function entry(reaction, name, rank = mostUsed.indexOf(reaction.replace("\ufe0f", ""))) {
    return { reaction, name, words: split(name), use: rank < 0 ? 0 : 1 - rank / mostUsed.length }
}

function split(text) {
    return text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "").split(/[^\p{L}\p{N}#*+]+/u).filter(Boolean)
}

/**
 * The emoji, and the custom reactions before them, that have a word for each of the query's: whole words first, then short
 * names, then what is used most.
 */
export function findEmoji(query, custom = []) {
    const wanted = split(query)
    const all = [...custom.map(({ reaction, name }) => entry(reaction, name ?? reaction, 0)), ...emoji]
    const rate = ({ words, use }) => {
        const rates = wanted.map((word) => (words.includes(word) ? 2 : words.some((has) => has.startsWith(word)) ? 1 : 0))
        const sum = rates.reduce((sum, one) => sum + one, 1)
        return rates.includes(0) ? 0 : sum - words.length / 100 + use / 200
    }
    return all
        .map((one) => ({ one, rate: rate(one) }))
        .filter(({ rate }) => rate > 0)
        .sort((a, b) => (wanted.length > 0 ? b.rate - a.rate : 0))
        .map(({ one }) => one)
}
