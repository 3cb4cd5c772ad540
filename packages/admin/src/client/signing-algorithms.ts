import type { KeyRing } from '@mintmark/core'

/** What a key ring signs with. */
export type SigningAlgorithms = Pick<KeyRing, 'algorithms'>
