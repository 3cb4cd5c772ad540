// Fills each code block with the file, or the region of a file, that it names, so that the pages show code that
// compiles.
import { writeFileSync } from 'node:fs'

import { readPages, withCurrentCode } from './markdown.ts'

for (const page of readPages()) {
  const text = withCurrentCode(page)
  if (text !== page.text) writeFileSync(page.path, text)
}
