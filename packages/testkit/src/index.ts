export { replayTranscript } from './replay-transcript.ts'
export type { Replayed, ReplayTarget, StepResult } from './replay-transcript.ts'
export { entraTranscript, oktaTranscript } from './transcripts/index.ts'
export type { Expectation, Json, Transcript, TranscriptStep } from './transcripts/transcript.ts'
