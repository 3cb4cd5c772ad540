import type { Reply } from './reply.ts'

/** The statuses of several answers in ascending order. */
export const statuses = (replies: readonly Reply[]): readonly number[] =>
  replies.map(({ status }) => status).toSorted((one, other) => one - other)
