import type { Brand } from '@mintmark/storage-interface'

/** The proof that a voucher was there and is used up. Only `spend` makes one, and without one nothing is issued. */
export type SpentVoucher = Brand<{ readonly voucher: string }, 'SpentVoucher' | 'GrantEvidence'>

const unspent = new Set(['gift-1', 'gift-2']) // yours is a table, and the line below one DELETE … RETURNING

export const spend = (voucher: string): Promise<SpentVoucher | undefined> =>
  Promise.resolve(unspent.delete(voucher) ? ({ voucher } as SpentVoucher) : undefined)
