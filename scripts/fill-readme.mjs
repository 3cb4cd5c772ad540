// Copies each file named in a code fence of the README and the how-to guides into it, so that they show what runs.
import './require-node.mjs'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'

for (const document of ['README.md', ...readdirSync('docs/how-to').map((name) => `docs/how-to/${name}`)]) fill(document)

function fill(document) {
  let isInside = false
  const lines = readFileSync(document, 'utf8').split('\n').flatMap((line) => {
    const named = /^```ts (\S+)$/.exec(line)
    if (named !== null) {
      isInside = true
      return [line, readFileSync(named[1], 'utf8').trimEnd()]
    }
    if (isInside && line !== '```') return []
    isInside = false
    return [line]
  })
  writeFileSync(document, lines.join('\n'))
}
