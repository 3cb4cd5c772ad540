import { defineDetailType } from '@mintmark/core'
import type { JsonObject } from '@mintmark/storage-interface'

/** One payment in EUR. */
interface Payment extends JsonObject {
  readonly type: 'payment'
  /** Such as `12.00`. */
  readonly amount: string
  readonly creditor: string
}

/** The accounts of the signed-in user. */
export const accounts = [
  { value: 'current', label: 'Current account' },
  { value: 'savings', label: 'Savings account' },
]

/** A payment. The user sees the amount and the creditor, and chooses the account (RFC 9396). */
export const payment = defineDetailType({
  parse: (value) => parsePayment(value, ['type', 'amount', 'creditor']),
  parseGranted: (value) => parsePayment(value, ['type', 'amount', 'creditor', 'account']),
  describe: ({ amount, creditor }) => ({
    title: 'Pay',
    rows: [
      { label: 'Amount', value: `${amount} EUR` },
      { label: 'To', value: creditor },
    ],
  }),
  enrich(detail, choice) {
    if (!accounts.some(({ value }) => value === choice)) throw new Error('The user has not chosen an account.')
    return { ...detail, account: String(choice) }
  },
  // Entries have no `locations`, because there is only one API.
  locations: () => [],
})

function parsePayment(value: JsonObject, members: readonly string[]): Payment {
  const { amount, creditor } = value
  const isKnown = Object.keys(value).every((name) => members.includes(name))
  if (!isKnown || typeof creditor !== 'string' || typeof amount !== 'string' || !/^\d{1,6}\.\d\d$/.test(amount))
    throw new Error('The payment is not valid.')
  return { ...value, type: 'payment', amount, creditor }
}
