import type { Messages, StandardScope } from './messages.ts'

export const hebrew: Messages = {
  lang: 'he',
  dir: 'rtl',
  unnamedClient: 'אפליקציה ללא שם',
  consent: {
    title: 'לאשר גישה?',
    heading: 'האפליקציה {client} מבקשת להשתמש בחשבון שלך',
    unverified: 'האפליקציה מציגה את עצמה בשם {client}. השם לא אומת; רק {host} ודאי.',
    deviceWarning: 'כל תוכנה במכשיר הזה יכולה להשתמש בשם הזה. יש לאשר גישה רק אם הפעלת את התוכנה בעצמך ממש עכשיו.',
    signedInAs: 'החשבון המחובר: {account}',
    scopesLegend: 'הגישה המבוקשת:',
    detailsLegend: 'לאישורך:',
    organizationsLegend: 'עבור איזה ארגון?',
    alwaysIncluded: 'תמיד חלק מהכניסה',
    grantedBefore: 'אישרת זאת בעבר',
    resources: 'הגישה מיועדת אל {names}',
    destination: {
      website: 'בכל מקרה, השלב הבא הוא מעבר אל {name}',
      device: 'בכל מקרה, השלב הבא הוא מעבר אל תוכנה במכשיר הזה ({name})',
      app: 'בכל מקרה, השלב הבא הוא מעבר אל אפליקציה במכשיר הזה המזוהה בתור {name}',
    },
    deny: 'דחייה',
    allow: 'אישור',
    scopes: {
      openid: 'לזהות אותך',
      profile: 'לראות את השם והפרופיל שלך',
      email: 'לראות את כתובת הדוא״ל שלך',
      address: 'לראות את הכתובת למשלוח דואר שלך',
      phone: 'לראות את מספר הטלפון שלך',
      offline_access: 'לשמור על הגישה גם בהיעדרך',
      organization: 'לדעת לאיזה ארגון נכנסת',
    } satisfies Readonly<Record<StandardScope, string>>,
  },
  signIn: {
    title: 'כניסה',
    toContinue: 'כדי להמשיך אל {client}',
    username: 'דוא״ל או שם משתמש',
    usernameHints: {
      directory: 'הארגון שלך מנהל את החשבון? יש להזין תחילה את שם הספרייה שלו: ספרייה/שם',
    },
    password: 'סיסמה',
    submit: 'כניסה',
    errorTitle: 'הכניסה נכשלה',
    errors: {
      rejected: 'אין חשבון שמתאים לשם ולסיסמה האלה. יש לבדוק את שניהם ולנסות שוב.',
      incomplete: 'יש למלא את שני השדות ולנסות שוב.',
      throttled: 'היו יותר מדי ניסיונות. יש להמתין כמה דקות ולנסות שוב.',
    },
  },
  error: {
    title: 'אירעה שגיאה',
    advice: 'יש לחזור לאפליקציה שממנה הגעת ולהתחיל מחדש. אם הבעיה נמשכת, אפשר לפנות למפעילי האפליקציה.',
    codeLabel: 'קוד שגיאה',
  },
  logout: {
    title: 'לצאת מהחשבון?',
    askedBy: 'האפליקציה {client} מבקשת ממך לצאת מהחשבון',
    signedInAs: 'החשבון המחובר: {account}',
    signOut: 'יציאה',
    stay: 'להישאר בחשבון',
  },
  signedOut: {
    title: 'יצאת מהחשבון',
    text: 'אפשר לסגור את החלון הזה.',
    goOn: 'המשך',
  },
  stillSignedIn: {
    title: 'החשבון שלך עדיין מחובר',
    text: 'אפשר לסגור את החלון הזה.',
  },
}
