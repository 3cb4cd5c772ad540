export { createTestIssuer } from './issuer/test-issuer.ts'
export type { TestIssuer } from './issuer/test-issuer.ts'
export { replayTranscript } from './replay-transcript.ts'
export { entraTranscript, oktaTranscript } from './transcripts/index.ts'
