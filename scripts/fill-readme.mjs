// Copies each file named in a code fence of the README into it, so that the README shows what runs.
import './require-node.mjs'
import { readFileSync, writeFileSync } from 'node:fs'

let isInside = false
const lines = readFileSync('README.md', 'utf8').split('\n').flatMap((line) => {
  const named = /^```ts (\S+)$/.exec(line)
  if (named !== null) {
    isInside = true
    return [line, readFileSync(named[1], 'utf8').trimEnd()]
  }
  if (isInside && line !== '```') return []
  isInside = false
  return [line]
})
writeFileSync('README.md', lines.join('\n'))
