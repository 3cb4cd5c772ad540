import { existsSync, readFileSync } from 'node:fs'

import { expect, it } from 'vitest'

const readme = readFileSync('README.md', 'utf8')

it('the README shows the programs as they are (mend with `pnpm readme`)', () => {
  const blocks = [...readme.matchAll(/^```ts (\S+)\n([\s\S]*?)```$/gm)]

  expect(blocks.map(([, file]) => file)).toEqual(['examples/minimal/src/server.ts', 'examples/minimal/src/register.ts'])
  for (const [, file = '', code] of blocks) expect(code, file).toBe(readFileSync(file, 'utf8'))
})

it('every link of the README leads somewhere', () => {
  const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target)

  expect(links.filter((target) => !existsSync(target))).toEqual([])
})
