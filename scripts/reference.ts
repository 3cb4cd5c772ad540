// Writes the pages of docs/reference that are generated from the sources: exported names, options, events, endpoints
// and the command line.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

import { readPublicApi } from './reference/public-api.ts'
import { referenceFiles } from './reference/reference-files.ts'

for (const [path, text] of await referenceFiles(readPublicApi())) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
