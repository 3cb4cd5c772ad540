import { dropKey } from '@mintmark/core'
import { keys } from './keys.ts'

const { outcome } = await dropKey(process.argv[2] ?? '', keys) // the kid
console.log(outcome) // revoked, unchanged or absent
