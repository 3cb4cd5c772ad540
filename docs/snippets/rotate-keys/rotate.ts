import { keys } from './keys.ts'

const { algorithms } = await keys.rotate()
for (const { algorithm, outcome, keyId } of algorithms) console.log(algorithm, outcome, keyId)
for (const { keyId, algorithm, state, age } of await keys.list()) console.log(keyId, algorithm, state, `${age} s old`)
