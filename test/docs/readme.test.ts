import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'

import { describe, expect, it } from 'vitest'

const published = globSync('packages/*/package.json').flatMap((path) => {
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, unknown>>
  return manifest['private'] === true ? [] : [{ folder: dirname(path), manifest }]
})

describe.each(published)('$folder on npm', ({ folder, manifest }) => {
  it('has a README that names the package and shows how to install it', () => {
    const readme = existsSync(`${folder}/README.md`) ? readFileSync(`${folder}/README.md`, 'utf8') : ''

    expect(readme).toContain(`# ${String(manifest['name'])}\n`)
    expect(readme).toMatch(/^npm (?:install|create) /m)
  })

  it('names its repository, which npm provenance requires', () => {
    expect(manifest).toMatchObject({
      license: 'MIT',
      homepage: 'https://github.com/mintmark/mintmark#readme',
      bugs: { url: 'https://github.com/mintmark/mintmark/issues' },
      repository: { type: 'git', url: 'git+https://github.com/mintmark/mintmark.git', directory: folder },
    })
    expect(manifest['description']).toMatch(/^.{20,}$/)
    expect(manifest['keywords']).toEqual(expect.arrayContaining([expect.any(String)]))
  })
})

it('the example of @mintmark/testkit runs', () => {
  const { status, stdout } = spawnSync(
    process.execPath,
    ['--conditions=@mintmark/source', 'docs/snippets/readme/testkit.ts'],
    { encoding: 'utf8' },
  )

  expect(`${status}\n${stdout}`).toMatch(/^0\n/)
})
