import type { ServerResponse } from '@mintmark/core/http'
import type { createPages } from './create-pages.ts'

const client = { clientName: 'Field Notes' }
const clientPages = {
  clientUri: 'https://notes.example/',
  policyUri: 'https://notes.example/privacy',
  tosUri: 'https://notes.example/terms',
}
const accountName = 'ada@example.org'
const switchAccountUrl = 'https://login.example/login?interaction=handle&account=other'
const scopes = [
  { name: 'openid', description: 'Know who you are' },
  { name: 'profile', description: 'See your name and profile', granted: true },
  { name: 'notes.write', description: 'Change your notes' },
]
const details = [
  {
    id: '0',
    title: 'Pay 12.00 EUR to Example Ltd.',
    rows: [{ label: 'Reference', value: 'Invoice 7' }],
    choices: [
      { value: 'current', label: 'Current account' },
      { value: 'savings', label: 'Savings account' },
    ],
  },
]
const organizations = [
  { organizationId: 'acme', name: 'Acme Corporation' },
  { organizationId: 'globex', name: 'Globex' },
]

const apps = [
  { grantId: 'notes', clientName: 'Field Notes', scopes: ['openid', 'profile'], since: 1_790_000_000 },
  { grantId: 'orders', clientName: 'Order Desk', scopes: ['email'], since: 1_780_000_000 },
]
const sessions = [
  {
    sessionId: 'this',
    signedInAt: 1_790_000_000,
    lastSeenAt: 1_790_100_000,
    userAgent: 'Firefox on Windows',
    location: 'Lisbon, Portugal',
    clients: [client],
  },
  { sessionId: 'phone', signedInAt: 1_780_000_000, lastSeenAt: 1_780_000_000, clients: [] },
]

const cancelUrl = 'https://as.test/auth/cancel?interaction=h'

type Pages = ReturnType<typeof createPages>
type Gallery = Readonly<Record<string, ServerResponse>>

/** Renders every page that users see, by name, with examples: for previews, accessibility checks and screenshots. */
export const gallery = (pages: Pages, redirectUri = 'https://notes.example/callback'): Gallery => ({
  ...signInPages(pages),
  ...consentPages(pages, redirectUri),
  ...otherPages(pages),
})

const signInPages = ({ signInPage, passkeysPage, selectAccountPage }: Pages): Gallery => ({
  'sign-in': signInPage({ client, usernameHint: 'directory', cancelUrl }),
  'sign-in-name-first': signInPage({
    client,
    fields: 'username',
    alternatives: [{ label: 'GitHub', url: 'https://as.test/sign-in/github' }],
  }),
  'sign-in-error': signInPage({
    client,
    loginHint: accountName,
    remember: 'unchecked',
    cancelUrl,
    error: 'rejected',
  }),
  passkeys: passkeysPage({
    creationOptions: {},
    passkeys: [{ id: 'AQID', name: 'iCloud Keychain', createdAt: 1_780_000_000 }],
  }),
  'select-account': selectAccountPage({ client, accountName, switchAccountUrl, cancelUrl }),
})

const consentPages = ({ consentPage }: Pages, redirectUri: string): Gallery => ({
  consent: consentPage({
    client: { ...client, ...clientPages },
    redirectUri,
    scopes,
    accountName,
    switchAccountUrl,
    resources: [{ name: 'Notes API' }],
  }),
  'consent-organization': consentPage({ client, redirectUri, scopes, accountName, organizations }),
  'consent-details': consentPage({ client, redirectUri, scopes: scopes.slice(0, 1), accountName, details }),
  'consent-unverified': consentPage({
    client: { ...client, ...clientPages, unverifiedHost: 'notes.example' },
    redirectUri: 'http://127.0.0.1:49152/callback',
    scopes,
    accountName,
  }),
})

const otherPages = ({ accountPage, approvalPage, logoutPage, signedOutPage, errorPage }: Pages): Gallery => ({
  account: accountPage({ apps, sessions, currentSessionId: 'this' }),
  approval: approvalPage({
    kind: 'ask',
    pending: {
      client: { clientName: 'Shopping agent' },
      scopes: scopes.slice(0, 1),
      details,
      bindingMessage: 'Order 1234',
      askedFrom: 'Lisbon, Portugal',
    },
    accountName,
  }),
  'sign-out': logoutPage({
    kind: 'confirm',
    status: 200,
    action: 'https://login.example/session/end/confirm',
    fields: [],
    client,
    accountName,
    apps: [client, { clientName: 'Order Desk' }],
  }),
  'signed-out': signedOutPage(),
  'still-signed-in': logoutPage({ kind: 'signed_in', status: 200 }),
  error: errorPage({ status: 400, code: 'invalid_request', description: 'The client is unknown.' }),
  'error-deactivated': errorPage({
    status: 403,
    code: 'access_denied',
    description: 'Your account is deactivated. Ask your administrator for access.',
    problem: 'account_deactivated',
  }),
})
