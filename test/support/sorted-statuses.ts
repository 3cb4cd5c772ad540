import type { Reply } from './send.ts'

/** Returns the statuses of several responses in ascending order. */
export const sortedStatuses = (replies: readonly Reply[]): readonly number[] =>
  replies.map(({ status }) => status).toSorted((left, right) => left - right)
