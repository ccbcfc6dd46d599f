import { Icon } from "./icon.tsx";

interface Props {
	readonly name: string;
	readonly icon: string;
	readonly isReady: boolean;
	/** For a toggle: whether it is on. */
	readonly isPressed?: boolean;
	/** Tooltip, if it differs from the name. */
	readonly title?: string;
	readonly onClick: () => void;
}

/** An icon button with tooltip and accessible name. */
export function IconAction({ name, icon, isReady, isPressed, title = name, onClick }: Props) {
	return (
		<button
			type="button"
			class="icon-button"
			title={title}
			aria-label={name}
			aria-pressed={isPressed}
			disabled={!isReady}
			onClick={onClick}
		>
			<Icon name={icon} />
		</button>
	);
}
