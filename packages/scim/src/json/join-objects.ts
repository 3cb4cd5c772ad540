import type { JsonText } from '@mintmark/storage-interface'

/** The text of an object with the members of two, neither of which is empty or has a name of the other's. Both without white space around them. */
export const joinObjects = (one: JsonText, other: JsonText): JsonText =>
  `${one.slice(0, -1)},${other.slice(1)}` as JsonText
