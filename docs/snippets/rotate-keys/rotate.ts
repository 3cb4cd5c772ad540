import { listKeys, rotateKeys } from '@mintmark/core'
import { keys } from './keys.ts'

const { algorithms } = await rotateKeys(keys)
for (const { algorithm, outcome, keyId } of algorithms) console.log(algorithm, outcome, keyId)
for (const { keyId, algorithm, state, age } of await listKeys(keys))
  console.log(keyId, algorithm, state, `${age} s old`)
