import type { Brand } from '@mintmark/storage-interface'

/** The proof that a badge was read, and whose it is. */
export type ReadBadge = Brand<{ readonly subject: string }, 'ReadBadge' | 'GrantEvidence'>

/** Stands for asking the reader's maker whether the badge signed the challenge. */
export const readBadge = (badge: string): Promise<ReadBadge | undefined> =>
  Promise.resolve(badge === 'badge-of-ann' ? ({ subject: 'user-1' } as ReadBadge) : undefined)
