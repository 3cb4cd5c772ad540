// Copies each file, or region of a file, that a code block names into it, so that the pages show code that is compiled.
import { writeFileSync } from 'node:fs'

import { readPages, withCurrentCode } from './markdown.ts'

for (const page of readPages()) {
  const text = withCurrentCode(page)
  if (text !== page.text) writeFileSync(page.path, text)
}
