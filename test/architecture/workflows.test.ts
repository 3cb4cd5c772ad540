import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const workflows = globSync('.github/workflows/*.yml').map((file) => [file, readFileSync(file, 'utf8')] as const)

test.each(workflows)('%s names each action by its commit, which nobody can move', (_, text) => {
  const actions = [...text.matchAll(/uses: (\S+)/g)].map(([, action]) => action)

  expect(actions.filter((action) => !/@[0-9a-f]{40}$/.test(action ?? ''))).toEqual([])
})

test('the job that may publish runs no tests and no install scripts', () => {
  const release = readFileSync('.github/workflows/release.yml', 'utf8')
  const [, job = ''] = /\n  release:\n([^]*)/.exec(release) ?? []

  expect(job).toContain('id-token: write')
  expect(job).toContain('install --frozen-lockfile --ignore-scripts')
  expect(job).not.toContain('.ci/run')
  expect(release.replace(job, '')).not.toContain('write')
})
