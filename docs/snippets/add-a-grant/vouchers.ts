import type { Brand } from '@mintmark/storage-interface'

/** Proves that a valid voucher was used up. Only `spend` creates this evidence, and no token is issued without it. */
export type SpentVoucher = Brand<{ readonly voucher: string }, 'SpentVoucher' | 'GrantEvidence'>

const unspent = new Set(['gift-1', 'gift-2']) // in production: a table; `spend` runs DELETE … RETURNING

export const spend = (voucher: string): Promise<SpentVoucher | undefined> =>
  Promise.resolve(unspent.delete(voucher) ? ({ voucher } as SpentVoucher) : undefined)
