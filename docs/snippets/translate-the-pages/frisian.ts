import { changeMessages, dutch, type Messages } from '@mintmark/pages/languages'

/** A language of your own. It starts from Dutch, so that a text that is not translated yet is not in English. */
export const frisian: Messages = changeMessages(
  { ...dutch, lang: 'fy', dir: 'ltr' },
  {
    signIn: { title: 'Oanmelde', toContinue: 'om troch te gean nei {client}', submit: 'Oanmelde' },
    consent: { allow: 'Tastean', deny: 'Wegerje' },
  },
)
