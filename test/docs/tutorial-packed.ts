// Follows the tutorial as its reader does: the packages come from tarballs, everything else from npm.
import { isDeepStrictEqual } from 'node:util'

import { packPackages } from '../../scripts/packed-packages.ts'
import { followTutorial } from './follow-tutorial.ts'

const packed = packPackages()
try {
  const seen = await followTutorial((line) => line.replace('/tmp/mintmark', packed.folder))
  const agreed = isDeepStrictEqual(seen.refreshed, seen.refreshedThen) && isDeepStrictEqual(seen.refreshRefused, { error: 'invalid_grant' })
  console.log(agreed ? 'The tutorial was followed from an empty folder, with packed packages.' : seen)
  if (!agreed) process.exitCode = 1
} finally {
  packed.remove()
}
