/** A script answered with a word it does not have: nothing may be concluded from that. */
export function unexpectedReply(outcome: string): Error {
  return new Error(`A Redis script answered "${outcome}", which is not one of its answers.`)
}
