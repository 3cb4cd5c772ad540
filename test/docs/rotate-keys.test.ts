import { spawnSync } from 'node:child_process'

import { expect, it } from 'vitest'

import { keys } from './rotate-keys/vault.ts'

it.each([
  ['rotate.ts', /^ES256 announced [\w-]{43}\nRS256 announced [\w-]{43}\n(?:[\w-]{43} (?:ES|RS)256 signing \d s old\n){2}$/],
  ['drop.ts', /^absent\n$/],
])('%s of the guide runs', (program, output) => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--conditions=@mintmark/source', `test/docs/rotate-keys/${program}`], { encoding: 'utf8' })

  expect(stdout, stderr).toMatch(output)
})

it('the vault of the guide signs (RFC 7518 §3.4)', async () => {
  const signer = await keys.signer('ES256')

  expect((await signer.sign(new Uint8Array(1))).length).toBe(64)
})
