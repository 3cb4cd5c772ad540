import { defineDetailType, updateClient } from '@mintmark/core'
import type { JsonObject } from '@mintmark/storage-interface'
import { onTestFinished } from 'vitest'

import { answerInteraction, authorize, type Change } from './flow.ts'
import type { Reply } from './send.ts'
import { startServer, type ServerUnderTest } from './server-under-test.ts'

/** Returns the authorization detail that tests request, with some changes. */
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

/** A strict type: the user consents to every payment anew and chooses the account. */
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
  if (typeof creditor !== 'string') throw new Error('The creditor is not a string.')
  return { ...value, amount, creditor }
}

interface Reading extends JsonObject {
  readonly account: string
}

/** A simple type whose consent is remembered. */
const reading = defineDetailType<Reading>({
  parse({ type = '', account, locations = [] }) {
    if (typeof account !== 'string') throw new Error('The account is not a string.')
    return Array.isArray(locations) && locations.length > 0 ? { type, account, locations } : { type, account }
  },
  describe: ({ account }) => ({ title: `Read ${account}` }),
  remembers: true,
})

export const authorizationDetails = { payment, reading }

type Options = NonNullable<Parameters<typeof startServer>[0]>

/** Starts a server on which the clients A, B and P may request payments, and A also readings. */
export async function startBank(options: Options = {}): Promise<ServerUnderTest> {
  const site = await startServer({ authorizationDetails, ...options })
  onTestFinished(() => site.close())
  for (const id of ['A', 'B', 'P']) {
    const authorizationDetailsTypes = id === 'A' ? ['payment', 'reading'] : ['payment']
    await updateClient({ clientId: id }, { authorizationDetailsTypes }, { storage: site.storage })
  }
  return site
}

export const authorizeDetails = (
  site: ServerUnderTest,
  details: readonly JsonObject[] | string,
  change: Change = {},
): Promise<Reply> =>
  authorize(site, {
    scope: 'openid offline_access',
    authorization_details: typeof details === 'string' ? details : JSON.stringify(details),
    ...change,
  })

/** Obtains a code for the details. If the server asks for consent, posts this form to the consent page. */
export async function codeFor(
  site: ServerUnderTest,
  details: readonly JsonObject[],
  { form = 'scope=openid&scope=offline_access&detail=0', ...change }: Change = {},
): Promise<string> {
  const started = await authorizeDetails(site, details, change)
  const reply = started.location.searchParams.has('interaction')
    ? await answerInteraction(site, started, form)
    : started
  const code = reply.location.searchParams.get('code')
  if (code === null) throw new Error(`No code: ${reply.status} ${reply.text} ${reply.header('location')}`)
  return code
}
