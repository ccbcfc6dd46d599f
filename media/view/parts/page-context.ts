import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Page } from "../../model/page.ts";

export const PageContext = createContext<Page | undefined>(undefined);

export function usePage(): Page {
	const page = useContext(PageContext);
	if (!page) throw new Error("no page above this component");
	return page;
}
