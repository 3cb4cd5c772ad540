import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'

import type { VerifiedRedirect } from '../clients/proven-redirect.ts'
import { formPostResponseMode } from './response.ts'

const target = 'https://app.test/cb?x=1&y=2' as VerifiedRedirect

it('allows the page to run only its own script (Form Post Response Mode §2)', () => {
  const { headers, body } = formPostResponseMode.respond(target, [['code', 'c']])

  const script = /<script>(.*?)<\/script>/.exec(String(body))?.[1] ?? ''
  const hash = createHash('sha256').update(script).digest('base64')
  expect(new Map(headers).get('Content-Security-Policy')).toContain(`script-src 'sha256-${hash}'`)
})

it.each([
  ['https://app.test:8443/cb?x=1', 'https://app.test:8443'],
  ['com.example.app:/cb', "'none'"],
  ['vscode://example/cb', "'none'"],
])('of a client at %s can be framed by %s, to renew tokens without a page (OIDC Core §3.1.2.1)', (uri, source) => {
  const { headers } = formPostResponseMode.respond(uri as VerifiedRedirect, [['code', 'c']])

  expect(new Map(headers).get('Content-Security-Policy')).toContain(`; frame-ancestors ${source}; `)
  expect(new Map(headers).get('X-Frame-Options')).toBeUndefined()
})

it('keeps any state inside its attribute (Form Post Response Mode §2)', () => {
  const { body } = formPostResponseMode.respond(target, [['state', `"><script>alert(1)</script>'&`]])

  expect(body).toContain('value="&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;&#39;&#38;"')
  expect(body).toContain('action="https://app.test/cb?x=1&#38;y=2"')
})
