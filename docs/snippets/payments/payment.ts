import { defineDetailType } from '@mintmark/core'
import type { JsonObject } from '@mintmark/storage-interface'

import { accounts } from './accounts.ts'

interface Payment extends JsonObject {
  readonly type: 'payment'
  /** In EUR, such as `12.00`. */
  readonly amount: string
  readonly creditor: string
}

/** One payment, from an account that the user chooses. */
export const payment = defineDetailType({
  parse: (value) => parsePayment(value, ['type', 'amount', 'creditor', 'locations']),
  parseGranted: (value) => parsePayment(value, ['type', 'amount', 'creditor', 'locations', 'account']),
  describe: ({ amount, creditor }) => ({
    title: `Pay ${amount} EUR to ${creditor}`,
    rows: [{ label: 'Fee', value: '0.00 EUR' }],
  }),
  enrich(detail, choice) {
    const account = accounts.find(({ value }) => value === choice)
    if (account === undefined) throw new Error('The user has not chosen an account.')
    return { ...detail, account: account.value }
  },
})

/** Rejects unknown members, because the client would expect them to have an effect. */
function parsePayment(value: JsonObject, members: readonly string[]): Payment {
  const { amount, creditor } = value
  const isKnown = Object.keys(value).every((name) => members.includes(name))
  if (!isKnown || typeof creditor !== 'string' || typeof amount !== 'string' || !/^\d{1,6}\.\d\d$/.test(amount))
    throw new Error('The payment is not valid.')
  return { ...value, type: 'payment', amount, creditor }
}
