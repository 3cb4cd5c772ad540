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

it('keeps any state inside its attribute (Form Post Response Mode §2)', () => {
  const { body } = formPostResponseMode.respond(target, [['state', `"><script>alert(1)</script>'&`]])

  expect(body).toContain('value="&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;&#39;&#38;"')
  expect(body).toContain('action="https://app.test/cb?x=1&#38;y=2"')
})
