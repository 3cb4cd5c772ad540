import type { Brand } from '@mintmark/storage-interface'

/** Proves that a badge was read, and names its user. */
export type ReadBadge = Brand<{ readonly subject: string }, 'ReadBadge' | 'GrantEvidence'>

/** Stands for the vendor's check that the badge signed the challenge. */
export const readBadge = (badge: string): Promise<ReadBadge | undefined> =>
  Promise.resolve(badge === 'badge-of-ann' ? ({ subject: 'user-1' } as ReadBadge) : undefined)
