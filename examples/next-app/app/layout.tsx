import type { ReactNode } from 'react';
import './style.css';

export const metadata = { title: 'Comments in Next.js' };

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
