import { defineDetailType, updateClient } from '@mintmark/core'
import type { JsonObject } from '@mintmark/storage-interface'
import { onTestFinished } from 'vitest'

import { answerInteraction, authorize, type Change } from './flow.ts'
import type { Reply } from './reply.ts'
import { startServer, type ServerUnderTest } from './server-under-test.ts'

/** The entry that tests ask for, with some changes. */
export const aPayment = (change: JsonObject = {}) => ({
  type: 'payment',
  amount: '12.00',
  creditor: 'Example Ltd.',
  ...change,
})

interface Payment extends JsonObject {
  readonly amount: string
  readonly creditor: string
}

/** Payments: a strict type that is asked for each time, in which the user chooses the account. */
const payment = defineDetailType({
  parse: (value) => parsePayment(value, ['type', 'amount', 'creditor', 'locations']),
  parseGranted: (value) => parsePayment(value, ['type', 'amount', 'creditor', 'locations', 'account']),
  describe: ({ amount, creditor }) => ({
    title: `Pay ${amount} EUR`,
    rows: [{ label: 'To', value: creditor }],
  }),
  enrich: (detail, choice) => (typeof choice === 'string' ? { ...detail, account: choice } : detail),
  within: (requested, granted) =>
    Number(requested.amount) <= Number(granted.amount) &&
    requested.creditor === granted.creditor &&
    (requested['account'] === undefined || requested['account'] === granted['account']),
})

function parsePayment(value: JsonObject, members: readonly string[]): Payment {
  const { amount, creditor } = value
  if (Object.keys(value).some((name) => !members.includes(name))) throw new Error('There is an unknown member.')
  if (typeof amount !== 'string' || !/^\d{1,9}\.\d\d$/.test(amount))
    throw new Error('The amount is not a decimal number.')
  if (typeof creditor !== 'string') throw new Error('The creditor is not text.')
  return { ...value, amount, creditor }
}

interface Reading extends JsonObject {
  readonly account: string
}

/** A simple type whose consent is remembered. */
const reading = defineDetailType<Reading>({
  parse({ type = '', account, locations = [] }) {
    if (typeof account !== 'string') throw new Error('The account is not text.')
    return Array.isArray(locations) && locations.length > 0 ? { type, account, locations } : { type, account }
  },
  describe: ({ account }) => ({ title: `Read ${account}` }),
  remembers: true,
})

const authorizationDetails = { payment, reading }

type Options = NonNullable<Parameters<typeof startServer>[0]>

/** A server on which the clients A, B and P may ask for payments, and A for readings. */
export async function startBank(options: Options = {}): Promise<ServerUnderTest> {
  const under = await startServer({ authorizationDetails, ...options })
  onTestFinished(() => under.close())
  for (const id of ['A', 'B', 'P']) {
    const authorizationDetailsTypes = id === 'A' ? ['payment', 'reading'] : ['payment']
    await updateClient({ clientId: id }, { authorizationDetailsTypes }, { storage: under.storage })
  }
  return under
}

export const authorizeDetails = (
  under: ServerUnderTest,
  details: readonly JsonObject[] | string,
  change: Change = {},
): Promise<Reply> =>
  authorize(under, {
    scope: 'openid offline_access',
    authorization_details: typeof details === 'string' ? details : JSON.stringify(details),
    ...change,
  })

/** Asks for the details, and consents on the page with this form. */
export async function codeFor(
  under: ServerUnderTest,
  details: readonly JsonObject[],
  { form = 'scope=openid&scope=offline_access&detail=0', ...change }: Change = {},
): Promise<string> {
  const started = await authorizeDetails(under, details, change)
  const reply = started.location.searchParams.has('interaction')
    ? await answerInteraction(under, started, form)
    : started
  const code = reply.location.searchParams.get('code')
  if (code === null) throw new Error(`No code: ${reply.status} ${reply.text} ${reply.header('location')}`)
  return code
}
