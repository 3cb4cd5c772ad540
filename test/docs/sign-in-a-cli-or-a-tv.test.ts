import { expect, it, onTestFinished } from 'vitest'

import { registerTool } from '../../docs/snippets/sign-in-a-device/register.ts'
import { options } from '../../docs/snippets/sign-in-a-device/server-options.ts'
import { signIn } from '../../docs/snippets/sign-in-a-device/tool.ts'
import { approve } from '../support/device-world.ts'
import { startLoopbackServer } from '../support/server-under-test.ts'
import { configAt, withInterval } from './client-at-app.ts'

it('the tool of the page shows a code, and signs in the user who enters it (RFC 8628)', async () => {
  const site = await startLoopbackServer(options)
  onTestFinished(() => site.close())
  await registerTool(site.storage)
  const send = withInterval(fetch, 2)
  const config = await configAt(site.issuer, { clientId: 'tool', clientSecret: undefined, send })
  const lines: string[] = []

  const signingIn = signIn(config, (line) => void lines.push(line))
  await expect.poll(() => lines).toHaveLength(1)
  const [, code = ''] = /^Open http:\S+\/device and enter (\S+)$/.exec(lines[0] ?? '') ?? []
  await approve(site, code)

  expect((await signingIn).claims()).toMatchObject({ sub: 'U1', aud: 'tool' })
})
