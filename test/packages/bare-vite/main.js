import 'collaboration-client/react/styles.css';
