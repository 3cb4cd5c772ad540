import { keys } from './keys.ts'

const { outcome } = await keys.drop(process.argv[2] ?? '') // the kid
console.log(outcome) // revoked, unchanged or absent
