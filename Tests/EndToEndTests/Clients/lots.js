// Lots that come again with their seed: `FANFARE_SEED`, or one that is drawn.
"use strict"

exports.seed = Number(process.env.FANFARE_SEED ?? Math.floor(Math.random() * 2 ** 31))

/** Mulberry32: numbers from 0 up to 1. */
exports.generator = function generator(state) {
    return () => {
        state = (state + 0x6d2b79f5) | 0
        let word = Math.imul(state ^ (state >>> 15), 1 | state)
        word = (word + Math.imul(word ^ (word >>> 7), 61 | word)) ^ word
        return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32
    }
}
