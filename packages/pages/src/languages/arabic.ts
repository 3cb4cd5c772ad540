import type { Messages, StandardScope } from './messages.ts'

export const arabic: Messages = {
  lang: 'ar',
  dir: 'rtl',
  unnamedClient: 'تطبيق بلا اسم',
  consent: {
    title: 'هل تريد السماح بالوصول؟',
    heading: 'يطلب {client} استخدام حسابك',
    unverified: 'يعرّف التطبيق نفسه باسم {client}. لم يتم التحقق من هذا الاسم؛ المؤكد هو {host} فقط.',
    deviceWarning:
      'يمكن لأي برنامج على هذا الجهاز استخدام هذا الاسم. لا تسمح بالوصول إلا إذا شغّلت البرنامج بنفسك للتو.',
    signedInAs: 'تم تسجيل الدخول باسم {account}',
    scopesLegend: 'الوصول المطلوب:',
    detailsLegend: 'المطلوب الموافقة عليه:',
    organizationsLegend: 'لأي مؤسسة؟',
    alwaysIncluded: 'جزء دائم من تسجيل الدخول',
    grantedBefore: 'سبق أن سمحت بذلك',
    resources: 'هذا الوصول مخصص لـ {names}',
    destination: {
      website: 'في جميع الأحوال ستنتقل بعد ذلك إلى {name}',
      device: 'في جميع الأحوال ستنتقل بعد ذلك إلى برنامج على هذا الجهاز ({name})',
      app: 'في جميع الأحوال ستنتقل بعد ذلك إلى تطبيق على هذا الجهاز يُعرف بـ {name}',
    },
    deny: 'رفض',
    allow: 'سماح',
    scopes: {
      openid: 'معرفة هويتك',
      profile: 'الاطلاع على اسمك وملفك الشخصي',
      email: 'الاطلاع على بريدك الإلكتروني',
      address: 'الاطلاع على عنوانك البريدي',
      phone: 'الاطلاع على رقم هاتفك',
      offline_access: 'الاحتفاظ بالوصول أثناء غيابك',
      organization: 'معرفة المؤسسة التي سجّلت الدخول إليها',
    } satisfies Readonly<Record<StandardScope, string>>,
  },
  signIn: {
    title: 'تسجيل الدخول',
    toContinue: 'للمتابعة إلى {client}',
    username: 'البريد الإلكتروني أو اسم المستخدم',
    usernameHints: {
      directory: 'هل تدير مؤسستك حسابك؟ أدخل أولاً اسم الدليل الخاص بها: الدليل/الاسم',
    },
    password: 'كلمة المرور',
    submit: 'تسجيل الدخول',
    errorTitle: 'لم يتم تسجيل الدخول',
    errors: {
      rejected: 'لا يوجد حساب مطابق لهذا الاسم وكلمة المرور. تحقق منهما وحاول مرة أخرى.',
      incomplete: 'املأ الحقلين وحاول مرة أخرى.',
      throttled: 'عدد المحاولات كبير جدًا. انتظر بضع دقائق ثم حاول مرة أخرى.',
    },
  },
  error: {
    title: 'حدث خطأ',
    advice: 'ارجع إلى التطبيق الذي أتيت منه وابدأ من جديد. إذا استمرت المشكلة، فتواصل مع القائمين على التطبيق.',
    codeLabel: 'رمز الخطأ',
  },
  logout: {
    title: 'هل تريد تسجيل الخروج؟',
    askedBy: 'يطلب منك {client} تسجيل الخروج',
    signedInAs: 'تم تسجيل الدخول باسم {account}',
    signOut: 'تسجيل الخروج',
    stay: 'البقاء متصلاً',
  },
  signedOut: {
    title: 'تم تسجيل خروجك',
    text: 'يمكنك إغلاق هذه النافذة.',
    goOn: 'متابعة',
  },
  stillSignedIn: {
    title: 'ما زلت مسجّل الدخول',
    text: 'يمكنك إغلاق هذه النافذة.',
  },
}
