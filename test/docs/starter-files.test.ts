import { readFileSync, readdirSync } from 'node:fs'

import { expect, it } from 'vitest'

it('the Express example contains unchanged copies of the files of the starter', () => {
  const folder = 'examples/express-sqlite/src/starter'
  const files = readdirSync(folder)

  expect(files).not.toEqual([])
  for (const file of files)
    expect(readFileSync(`${folder}/${file}`, 'utf8')).toBe(
      readFileSync(`packages/create-mintmark/template/src/${file}`, 'utf8'),
    )
})
