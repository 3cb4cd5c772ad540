// Copies each file named in a code fence of the README and of the how-to pages into it, so that they show what runs.
import './require-node.mjs'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

for (const page of ['README.md', ...readdirSync('docs/how-to').map((name) => `docs/how-to/${name}`)]) fill(page)

function fill(page) {
  let isInside = false
  const lines = readFileSync(page, 'utf8').split('\n').flatMap((line) => {
    const named = /^```ts (\S+)$/.exec(line)
    if (named !== null) {
      isInside = true
      return [line, readFileSync(named[1], 'utf8').trimEnd()]
    }
    if (isInside && line !== '```') return []
    isInside = false
    return [line]
  })
  writeFileSync(page, lines.join('\n'))
}
