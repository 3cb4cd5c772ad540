import { spawnSync } from 'node:child_process'

import { expect, it } from 'vitest'

it('the five tests of docs/how-to/test-your-product.md pass', () => {
  const args = [
    '--conditions=@mintmark/source',
    '--test',
    '--test-reporter=tap',
    'docs/snippets/test-your-product/*.spec.ts',
  ]
  const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8' })

  expect(stdout).toMatch(/^# pass 5$/m)
  expect([status, /^# fail (\d+)$/m.exec(stdout)?.[1]]).toEqual([0, '0'])
})
