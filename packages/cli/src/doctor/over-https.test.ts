import { systemClock } from '@mintmark/internal'
import { expect, test } from 'vitest'

import { checkAddress } from './check-discovery.ts'
import { checkCookies } from './check-browser.ts'
import { type DoctorTarget, type Finding, createProbe } from './target.ts'

test('over https, checks for Strict-Transport-Security and for responses over plain http (RFC 6797 §7.1)', async () => {
  const careless = aTarget(() => new Response('{}'))
  const careful = aTarget((url) =>
    url.startsWith('https:')
      ? new Response('{}', { headers: { 'strict-transport-security': 'max-age=31536000' } })
      : new Response(null, { status: 308, headers: { location: 'https://as.test/' } }),
  )

  expect((await checkAddress(careless)).map(summaryOf)).toEqual([
    'ok address.https',
    'warn address.hsts',
    'fail address.plain_http',
  ])
  expect((await checkAddress(careful)).map(summaryOf)).toEqual([
    'ok address.https',
    'ok address.hsts',
    'ok address.plain_http',
  ])
})

test.for([
  ['__Host-b=x; Path=/; HttpOnly; SameSite=Lax; Secure', 'ok'],
  ['__Host-b=x; Path=/; HttpOnly; SameSite=Lax', 'fail'],
  ['__Host-b=x; Path=/; HttpOnly; SameSite=None; Secure', 'fail'],
  ['__Host-b=x; Path=/; SameSite=Lax; Secure', 'fail'],
  ['b=x; Path=/; HttpOnly; SameSite=Lax; Secure', 'fail'],
  ['__Host-b=x; Path=/; Domain=as.test; HttpOnly; SameSite=Lax; Secure', 'fail'],
] as const)(
  'over https, the check of the cookie %s has the level %s (RFC 6265bis §4.1.3.2)',
  async ([cookie, level]) => {
    const target = aTarget(() => new Response(null, { status: 303, headers: { 'set-cookie': cookie } }))

    expect((await checkCookies(target)).map(summaryOf)).toEqual([`${level} cookies.flags`])
  },
)

/** Creates a target for a server at https://as.test with these responses. */
function aTarget(answer: (url: string) => Response): DoctorTarget {
  const request: typeof fetch = (url) => Promise.resolve(answer(new Request(url).url))
  return {
    issuer: 'https://as.test',
    probe: createProbe(request),
    io: {
      out: () => {},
      err: () => {},
      progress: undefined,
      terminal: undefined,
      input: async function* () {},
      env: {},
      cwd: '/',
      operator: 'tess',
      clock: systemClock,
      sleep: () => Promise.resolve(),
      fetch: request,
      self: ['false'],
      lines: async function* () {},
    },
    settings: { issuer: undefined, database: undefined, sealingKeyFile: undefined, keys: {} },
    storage: undefined,
    metadata: {},
    options: { client: 'A', redirectUri: 'https://app.test/cb' },
  }
}

const summaryOf = ({ level, check }: Finding): string => `${level} ${check}`
